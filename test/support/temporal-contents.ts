import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';

/** Everything that Temporal stores about a namespace's workflows, as text: lists, descriptions and histories. */
export async function temporalContents(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  try {
    const found: WorkflowExecutionInfo[] = [];
    for await (const workflow of client.workflow.list()) found.push(workflow);
    const texts: string[] = [];
    for (const { workflowId, runId, raw } of found) {
      const handle = client.workflow.getHandle(workflowId, runId);
      const description = await handle.describe();
      const history = await handle.fetchHistory();
      texts.push(textOf(raw), textOf(description.raw), textOf(history));
    }
    return texts;
  } finally {
    await connection.close();
  }
}

/** A message as text. Bytes, which are base64 in its JSON, are decoded. */
const textOf = (message: unknown): string =>
  JSON.stringify(message).replace(
    /"data":"([A-Za-z0-9+/]+=*)"/g,
    (whole, base64: string) => `${whole},"text":${Buffer.from(base64, 'base64').toString('utf8')}`,
  );
