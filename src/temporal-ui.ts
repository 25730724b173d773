/** The page of Temporal's UI that lists a namespace's workflows; one of them is behind it, by its id. */
export const workflowsUrl = (uiUrl: string, namespace: string): string =>
  `${uiUrl.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
