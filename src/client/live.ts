/**
 * What an agent needs once it has a worker, in one module that is imported with the first one: the
 * wire and the tools' execution stay out of the page's first load.
 */
export { createAgentPage } from './agent-page.ts'
export { formatOutput } from './format-output.ts'
export { WorkerLink } from './worker-link.ts'
