import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { packTarball } from '../../../scripts/lib/pack.mjs'
import { removeSubpaths, subpathManifests, writeSubpaths } from '../../../scripts/lib/subpaths.mjs'
import { filesIn, unpack } from '../../../scripts/lib/unpack.mjs'

const exports = {
  '.': { types: './dist/index.d.ts', default: './dist/index.js' },
  './more': { types: './dist/more.d.ts', default: './dist/more.js' },
  './more/worker': { types: './dist/worker.d.ts', default: './dist/worker.js' },
  './package.json': './package.json',
}

let folder = ''
let project = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-pack-'))
  project = path.join(folder, 'project')
  mkdirSync(path.join(project, 'dist'), { recursive: true })
  for (const name of ['dist/index.js', 'dist/more.js', 'README.md', 'notes.md'])
    writeFileSync(path.join(project, name), '')
  setFiles('dist', 'more', 'README.md')
})
afterEach(() => rmSync(folder, { recursive: true }))

function setFiles(...files: string[]): void {
  const manifest = { name: 'shop', version: '1.0.0', type: 'module', files, exports }
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest))
}

test('the package has the listed files and a manifest for each entry', async () => {
  const packed = await unpack(await packTarball(path.join(folder, 'out'), project))
  expect(filesIn(packed).map((file) => file.path)).toEqual([
    'README.md',
    'dist/index.js',
    'dist/more.js',
    'more/package.json',
    'more/worker/package.json',
    'package.json',
  ])
  expect(JSON.parse(readFileSync(path.join(packed, 'more/worker/package.json'), 'utf8'))).toEqual({
    main: '../../dist/worker.js',
    module: '../../dist/worker.js',
    types: '../../dist/worker.d.ts',
  })
})

test('packing leaves the project unchanged, and two simultaneous packs are equal', async () => {
  const names = (): string[] => readdirSync(project, { recursive: true }).map(String)
  const before = names()
  const seen = new Set<string>()
  const watching = setInterval(() => {
    for (const name of names()) seen.add(name)
  }, 1)
  const outs = ['one', 'other'].map((name) => path.join(folder, name))
  const tarballs = await Promise.all(outs.map((out) => packTarball(out, project)))
  clearInterval(watching)
  expect(seen).toEqual(new Set(before))
  const [one, other] = tarballs.map((file) => readFileSync(file))
  expect(one?.equals(other ?? Buffer.of())).toBe(true)
})

test('an entry outside "files" is refused', async () => {
  setFiles('dist', 'README.md')
  await expect(packTarball(folder, project)).rejects.toThrow('lacks the entry "more"')
})

test('npm pack in the folder gives the same files and leaves nothing behind', () => {
  const subpaths = subpathManifests({ exports })
  writeSubpaths(project, subpaths)
  writeFileSync(path.join(project, 'more/own.md'), '')
  expect(readdirSync(project, { recursive: true }).map(String)).toContain(
    path.join('more', 'worker', 'package.json'),
  )
  removeSubpaths(project, subpaths)
  expect(readdirSync(path.join(project, 'more'))).toEqual(['own.md'])
})
