/**
 * The SDK formats the stack of every promise that a workflow makes, so that the Temporal UI can show where it waits.
 * That is a tenth of an order's CPU time. This module is loaded before the workflow's own code, because the SDK then
 * freezes the globals. `WORKFLOW_STACKS` omits it.
 */
Error.stackTraceLimit = 0;
