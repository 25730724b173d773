import type { ComponentChildren } from 'preact';
import { AGENT_SCOPES, type AgentScope } from '../../../src/domain/agent-scopes.ts';
import { ApiError } from '../api.ts';
import type { Resource } from '../resource.ts';
import { ResourceView } from '../ui/states.tsx';

/** Shows the data of a resource that a key without this scope may not read. Says so, if the key lacks the scope now. */
export function Scoped<T>({
  scope,
  ...view
}: {
  scope: AgentScope;
  resource: Resource<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  const error = view.resource.error.value;
  if (!(error instanceof ApiError && error.code === 'scope_missing')) return <ResourceView {...view} />;
  return (
    <div class="state failure" role="alert">
      <p>{error.message}.</p>
      <p>
        Without the scope <code>{scope}</code>, a key may not {AGENT_SCOPES[scope]}. Ask an admin of this
        installation to add the scope to your key.
      </p>
    </div>
  );
}
