import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { inProject } from './project.mjs'

/** A new folder in .cache for this process alone, so that two runs at once don't meet; it ends with the process. */
export function ownFolder(name) {
  mkdirSync(inProject('.cache'), { recursive: true })
  const folder = mkdtempSync(inProject('.cache', `${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Without a listener, a signal ends the process and no 'exit' is emitted.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  return folder
}
