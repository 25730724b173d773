/** The page of the Temporal UI that lists a namespace's workflows. Append a workflow's id for its own page. */
export const workflowsUrl = (uiUrl: string, namespace: string): string =>
  `${uiUrl.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
