import { constants, copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** Each is a folder of `examples/`. The first is the default. */
export const TEMPLATES = ['vanilla', 'react', 'vue', 'svelte', 'next']

/** npm leaves `.gitignore` out of packages, so it has another name there. */
const IGNORE_FILE = '.gitignore'
const PACKED_IGNORE_FILE = '_gitignore'

/** Made by installing and building. */
const GENERATED = new Set([
  'node_modules',
  'dist',
  '.next',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  '.DS_Store',
])

/** Also made by building, and files with a maintainer's keys. */
const SKIPPED = /\.tsbuildinfo$|^next-env\.d\.ts$|^\.env/

export function packTemplate(from, to) {
  copyFiles(from, to, (name) => (name === IGNORE_FILE ? PACKED_IGNORE_FILE : name))
}

export function unpackTemplate(from, to) {
  copyFiles(from, to, (name) => (name === PACKED_IGNORE_FILE ? IGNORE_FILE : name))
}

/** Never replaces a file: throws if it exists. */
function copyFiles(from, to, rename) {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const { name } = entry
    if (GENERATED.has(name) || SKIPPED.test(name)) continue
    const source = path.join(from, name)
    const target = path.join(to, rename(name))
    if (entry.isDirectory()) copyFiles(source, target, rename)
    else if (entry.isFile()) copyFileSync(source, target, constants.COPYFILE_EXCL)
  }
}
