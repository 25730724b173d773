import type { Cleanup } from '../dev/cleanup.ts';
import type { StoryContext } from '../dev/context.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { runningCorridor, temporalUi, workflowUrlOf } from '../dev/running-corridor.ts';
import { startWebhookReceiver } from '../dev/webhook-receiver.ts';
import { requireWebhooksTo } from '../dev/webhook-urls.ts';
import type { Config } from '../src/settings/config.ts';
import { runningSecret } from '../src/settings/secrets.ts';

export interface StoryOptions extends Pick<StoryContext, 'narrate' | 'print'> {
  cleanup: Cleanup;
  /** Keep the story's own Corridor running until the program is interrupted. */
  keep: boolean;
}

/** Runs a story to its end. It starts what the story needs; the cleanup stops it. */
export type RunStory = (options: StoryOptions) => Promise<void>;

/** Runs the story on the running Corridor that the settings name. */
export const onRunningCorridor =
  (story: (context: StoryContext) => Promise<void>): RunStory =>
  async (options) => {
    await story(await createStoryContext(await runningCorridor(), options));
  };

/** Runs the story on a Corridor of its own, with these settings. */
export const onOwnCorridor =
  (settings: Record<string, string>, story: (context: StoryContext) => Promise<void>): RunStory =>
  async (options) => {
    const { narrate, print, cleanup, keep } = options;
    const named = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    narrate('This story starts its own Corridor and removes it at the end.');
    print(`settings: ${named.join(' ')}`);
    const { config, ended } = await startOwnCorridor({ settings, progress: print, cleanup });
    print(`ready at ${config.publicUrl}`);
    const context = await createStoryContext(config, options);
    const endedTooEarly = ended.then(() => {
      throw new Error('the story’s own Corridor ended before the story did');
    });
    await Promise.race([story(context), endedTooEarly]);
    if (!keep) return;
    narrate('The story’s own Corridor keeps running until Ctrl-C, so that you can explore it.');
    print(`Temporal UI: ${temporalUi(config)}`);
    await ended;
  };

async function createStoryContext(
  config: Config,
  { narrate, print, cleanup }: StoryOptions,
): Promise<StoryContext> {
  const { value: adminKey } = await runningSecret('adminApiKey', config);
  const receiver = await startWebhookReceiver((await runningSecret('webhookSecret', config)).value);
  cleanup.add(receiver.close);
  // Before the story creates anything.
  await requireWebhooksTo(receiver.url, config.publicUrl);
  return {
    baseUrl: config.publicUrl,
    adminKey,
    receiver,
    narrate,
    print,
    workflowUrl: workflowUrlOf(config),
  };
}
