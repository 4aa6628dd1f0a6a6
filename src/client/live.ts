/**
 * What an agent needs once it has a worker, in one module that is imported with the first one: the
 * wire, supervision and the tools' execution stay out of the page's first load.
 */
export { extract } from './extract.ts'
export { formatOutput } from './format-output.ts'
export { createLinkedAgent } from './linked-agent.ts'
export { prepare } from './prepare.ts'
export { WorkerLink } from './worker-link.ts'
