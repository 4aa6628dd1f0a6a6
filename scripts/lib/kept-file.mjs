import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from './project.mjs'

/**
 * Writes a generated file that is kept in the repository. With `isCheck`, ends the process with 1 when the
 * file is not what would be written, and says where they begin to differ.
 */
export function keepFile({ file, text, command, isCheck }) {
  const target = inProject(file)
  const current = existsSync(target) ? readFileSync(target, 'utf8').replaceAll('\r\n', '\n') : ''
  if (current === text) return console.log(`${file} is up to date.`)
  if (!isCheck) {
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
    return console.log(`${file} is written.`)
  }
  console.error(
    `${file} is out of date; ${command} writes it anew.\n${firstDifference(current, text)}`,
  )
  process.exitCode = 1
}

function firstDifference(current, text) {
  const [before, after] = [current.split('\n'), text.split('\n')]
  const found = after.findIndex((line, index) => line !== before[index])
  const index = found < 0 ? after.length : found
  return `Line ${index + 1}:\n- ${before[index] ?? '(end)'}\n+ ${after[index] ?? '(end)'}`
}
