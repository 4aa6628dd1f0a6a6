import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { keepFile } from '../kept-file.mjs'
import { inProject, manifest, readJson } from '../project.mjs'
import { qualityPage, withMutationScore } from './pages.mjs'

/** The latest complete result of each long run. The tools that do the runs write it. */
const FILE = 'etc/quality.json'
const README = 'test/README.md'
/** Files that long runs write themselves. Changes to them don't count as changes of the tree. */
const WRITTEN = [FILE, 'docs/quality.md', 'docs/compatibility.md', README]
const WRITTEN_BY_PEERS = /^docs\/performance(?:-\w+\.svg|\.md)$/

/**
 * @typedef {{ date: string, version: string, commit: string, machine: string, seed?: string, figure: string }} Row
 * @returns {Record<string, Row>}
 */
export function readRows() {
  return existsSync(inProject(FILE)) ? readJson(FILE) : {}
}

/** Writes what a whole run found into the list and into the pages that are generated from it. */
export function writeRow(id, { seed, figure }) {
  const row = { ...currentStamp(), ...(seed !== undefined && { seed }), figure }
  const rows = Object.entries({ ...readRows(), [id]: row }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(inProject(FILE), `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
  keepQualityPages({ isCheck: false })
}

/** When and where something is measured: today's date, the version and commit, and this machine. */
export function currentStamp() {
  return {
    date: new Date().toISOString().slice(0, 10),
    version: manifest().version,
    commit: commitOf(git('rev-parse', '--short', 'HEAD'), git('status', '--porcelain')),
    machine: machineOf(os.cpus(), os.totalmem()),
  }
}

/** Writes, or with `isCheck` compares, the pages that show the rows. */
export function keepQualityPages({ isCheck }) {
  const { version } = manifest()
  const rows = readRows()
  const readme = readFileSync(inProject(README), 'utf8')
  const pages = {
    'docs/quality.md': qualityPage(rows, version),
    [README]: withMutationScore(readme, rows, version),
  }
  for (const [file, text] of Object.entries(pages))
    keepFile({ file, text, command: 'npm run quality', isCheck })
}

/** Names the changes that no commit has. */
export function commitOf(commit, status) {
  const changed = status
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3))
    .filter((file) => !WRITTEN.includes(file) && !WRITTEN_BY_PEERS.test(file))
  return changed.length > 0 ? `${commit} with changes` : commit
}

export function machineOf(cpus, memory) {
  const model = cpus[0]?.model.trim().replaceAll(/\s+/g, ' ') ?? 'unknown processor'
  return `${cpus.length} × ${model}, ${Math.round(memory / 2 ** 30)} GB, ${process.platform}, Node ${process.versions.node}`
}

function git(...args) {
  const { stdout, status } = spawnSync('git', args, { cwd: inProject(), encoding: 'utf8' })
  return status === 0 ? stdout.trimEnd() : ''
}
