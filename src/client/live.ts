/**
 * What an agent needs once it has a worker, in one module that is imported with the first one: the
 * wire, supervision and the tools' execution stay out of the page's first load.
 */
export { createCommands } from './agent-commands.ts'
export { createLinkedAgent } from './linked-agent.ts'
export { noteAsked } from './note-asked.ts'
export { summarizeRun } from './summarize-run.ts'
export { WorkerLink } from './worker-link.ts'
