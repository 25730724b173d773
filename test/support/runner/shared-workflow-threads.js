import { createRequire } from 'node:module';

/**
 * Lets all Temporal workers of a Jest process run their workflows in the same threads. A thread for each worker would load
 * the SDK and the workflows again, which took half of the process's CPU time for the start and stop of a Corridor. Workflows
 * share nothing in a thread: the SDK's sandbox separates them, as it separates those of one worker.
 *
 * This replaces a method inside the SDK. If an update of the SDK moves it, the import or the assignment fails.
 */
const require = createRequire(import.meta.url);
const { ThreadedVMWorkflowCreator } = require('@temporalio/worker/lib/workflow/threaded-vm.js');

const createThreads = ThreadedVMWorkflowCreator.create.bind(ThreadedVMWorkflowCreator);
/** By the workflows and the activities that they know. */
const started = new Map();

ThreadedVMWorkflowCreator.create = async (options) => {
  const { workflowBundle, registeredActivityNames, reuseV8Context } = options;
  const key = JSON.stringify([workflowBundle.code, [...registeredActivityNames], reuseV8Context]);
  const threads = started.get(key) ?? createThreads(options);
  started.set(key, threads);
  const { workerThreadClients } = await threads;
  // Otherwise they would keep the process of a test running.
  for (const { workerThread } of workerThreadClients) workerThread.unref();
  const creator = new ThreadedVMWorkflowCreator(workerThreadClients);
  creator.destroy = async () => {};
  return creator;
};
