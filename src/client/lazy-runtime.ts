/**
 * What an agent needs once it has a worker, in one module that is imported with the first one: the
 * wire, supervision, what is published and the tools' execution stay out of the page's first load.
 */
export { createCommands } from './agent-commands.ts'
export { join } from './linked-agent.ts'
export { keepRetention } from './keep-retention.ts'
export { makeTitles } from './make-titles.ts'
