import { mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { filesBelow } from './project.mjs'
import { run } from './run.mjs'

/** Unpacks a tarball of npm's into a folder, beside it, and resolves to the folder of the package. */
export async function unpack(tarball) {
  const folder = tarball.replace(/\.tgz$/, '')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // A relative name: to some programs of that name, `C:` before a path is a computer.
  const args = ['-xzf', path.basename(tarball), '-C', path.basename(folder)]
  const { code, output } = await run('tar', args, { cwd: path.dirname(tarball), quiet: true })
  if (code !== 0) throw new Error(`tar failed:\n${output}`)
  return path.join(folder, 'package')
}

/** All files below a folder, as paths with `/` from there, with their sizes in bytes, sorted by path. */
export function filesIn(folder) {
  return filesBelow(folder).map((file) => ({
    path: file,
    size: statSync(path.join(folder, file)).size,
  }))
}
