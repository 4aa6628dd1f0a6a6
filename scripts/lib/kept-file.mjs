import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from './project.mjs'

/**
 * Writes a generated file that is kept in the repository. With `isCheck`, ends the process with 1 when the
 * file is not what would be written, and says where they begin to differ.
 */
export function keepFile({ file, text, command, isCheck }) {
  const target = inProject(file)
  const kept = existsSync(target) ? readFileSync(target, 'utf8').replaceAll('\r\n', '\n') : ''
  if (kept === text) return console.log(`${file} is up to date.`)
  if (!isCheck) {
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
    return console.log(`${file} is written.`)
  }
  console.error(
    `${file} is out of date; ${command} writes it anew.\n${firstDifference(kept, text)}`,
  )
  process.exitCode = 1
}

function firstDifference(kept, text) {
  const [before, after] = [kept.split('\n'), text.split('\n')]
  const line = after.findIndex((words, index) => words !== before[index])
  const at = line < 0 ? after.length : line
  return `Line ${at + 1}:\n- ${before[at] ?? '(end)'}\n+ ${after[at] ?? '(end)'}`
}
