import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { filesBelow, inProject } from './project.mjs'

const STAMP = '.cache/build-stamp'
const INPUTS = [
  'src',
  'scripts/lib',
  'scripts/build.mjs',
  'package.json',
  'package-lock.json',
  'vite.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
]

/** Whether `dist` was built from the sources with this hash. */
export function isBuilt(hash) {
  const stamp = inProject(STAMP)
  if (!existsSync(stamp) || !existsSync(inProject('dist/index.js'))) return false
  return readFileSync(stamp, 'utf8') === hash
}

/** Hash of all that a build is made of. */
export function inputHash() {
  return hashOf(INPUTS)
}

/** Hash of files and of all files in folders. */
export function hashOf(entries) {
  const hash = createHash('sha256')
  for (const file of entries.flatMap(filesIn).toSorted()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(inProject(file)))
      .update('\0')
  }
  return hash.digest('hex')
}

export function writeStamp(hash) {
  writeFileSync(inProject(STAMP), hash)
}

export function removeStamp() {
  rmSync(inProject(STAMP), { force: true })
}

function filesIn(entry) {
  if (/\.\w+$/.test(entry)) return [entry]
  return filesBelow(inProject(entry)).map((file) => `${entry}/${file}`)
}
