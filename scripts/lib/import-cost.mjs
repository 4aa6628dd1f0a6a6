import { execFileSync } from 'node:child_process'
import { inProject } from './project.mjs'

/** Only the lowest figure counts: another program on the machine can only make a run slower. */
const RUNS = 7

/**
 * CPU time that the modules of a built file take to run when it is imported, as a multiple of a fixed piece of work in
 * the same processes. It hardly depends on how fast or how busy the machine is. Parsing is left out: it goes with the
 * file's size.
 */
export function importCost(file) {
  const runs = Array.from({ length: RUNS }, () => measure(file))
  const lowest = (name) => Math.min(...runs.map((run) => run[name]))
  return lowest('cost') / lowest('reference')
}

function measure(file) {
  // On one thread, so that no collector of garbage counts beside it.
  const flags = ['--no-warnings', '--experimental-vm-modules', '--single-threaded']
  const script = inProject('scripts', 'lib', 'measure-import.mjs')
  return JSON.parse(execFileSync(process.execPath, [...flags, script, file], { encoding: 'utf8' }))
}
