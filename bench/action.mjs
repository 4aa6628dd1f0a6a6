// Time per character of reading ACTION output in 4-character pieces, beside its floor (one
// fast-xml-parser parse of the finished text), a re-parse of the whole at every piece, and
// @ai-sdk-tool/parser when it is installed in bench/peers. Then the same for outputs that are made to be
// slow to read, in both modes, with the budget that they must keep.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { XMLParser } from 'fast-xml-parser'
import { build } from 'vite'
import { samples, tools } from './lib/action-samples.mjs'
import { readWithPeer } from './lib/action-peer.mjs'
import { worst, worstTools } from './lib/action-worst.mjs'

const sizes = [1_000, 10_000, 100_000, 1_000_000]
const pieceLength = 4
const peerBudget = 5_000

const { createActionScanner } = await load()
const parser = new XMLParser({ parseTagValue: false, processEntities: false })

for (const [name, make] of Object.entries(samples)) {
  for (const size of sizes) {
    const text = make(size)
    const offstage = perCharacter(text, () => scan(text))
    const floor = perCharacter(text, () => parse(text))
    const reparse = size <= 10_000 ? perCharacter(text, () => reparseAll(text)) : undefined
    const peer = size <= 100_000 ? await peerPerCharacter(text) : undefined
    console.log(
      [
        name.padEnd(15),
        String(size).padStart(8),
        `offstage ${format(offstage)}`,
        `floor ${format(floor)}`,
        `ratio ${(offstage / floor).toFixed(2).padStart(5)}`,
        `re-parse ${format(reparse)}`,
        `peer ${format(peer)}`,
      ].join('  '),
    )
  }
}

/**
 * Budget for the worst outputs: the largest size may cost at most this many times as much per character as the
 * smallest.
 */
const maxGrowth = 3
/** Microseconds. Smaller costs count as this much, because caches and garbage collection dominate them. */
const minCost = 0.15
/** Milliseconds. A reader that takes longer at one size isn't tried at the next. */
const maxMs = 2_000

console.log(`\nworst outputs: budget ${maxGrowth} times from ${sizes[1]} to ${sizes[3]} characters`)
let overBudget = 0
for (const { name, make } of worst) {
  for (const rescue of [false, true]) {
    for (const length of [Infinity, 7]) {
      const costs = worstCosts(make, { rescue, length })
      const growth = costs.length < 3 ? Infinity : Math.max(...costs) / Math.max(costs[0], minCost)
      if (growth > maxGrowth) overBudget++
      console.log(
        [
          growth > maxGrowth ? 'OVER' : '  ok',
          rescue ? 'native' : 'ACTION',
          length === Infinity ? 'whole ' : `${length} each`,
          ...costs.map(format),
          `ratio ${growth.toFixed(2).padStart(6)}`,
          name,
        ].join('  '),
      )
    }
  }
}
if (overBudget > 0) {
  console.error(`${overBudget} over the budget`)
  process.exitCode = 1
}

/** Microseconds per character at each size. Stops after a size that takes too long, or before one that throws. */
function worstCosts(make, options) {
  const costs = []
  for (const size of sizes.slice(1)) {
    const text = make(size)
    try {
      costs.push(perCharacter(text, () => scanWorst(text, options), 100))
    } catch {
      break
    }
    if ((costs.at(-1) * text.length) / 1000 > maxMs) break
  }
  return costs
}

function scanWorst(text, { rescue, length }) {
  const scanner = createActionScanner(worstTools, { newId: () => '', rescue })
  for (let at = 0; at < text.length; at += length) scanner.push(text.slice(at, at + length))
  return scanner.end()
}

function scan(text) {
  const scanner = createActionScanner(tools, { newId: () => '', maxBlockLength: 2_000_000 })
  for (let at = 0; at < text.length; at += pieceLength)
    scanner.push(text.slice(at, at + pieceLength))
  return scanner.end()
}

function parse(text) {
  try {
    return parser.parse(text)
  } catch {
    return undefined
  }
}

function reparseAll(text) {
  for (let at = pieceLength; at < text.length; at += pieceLength) parse(text.slice(0, at))
}

/** Microseconds per character: the best of the runs that fit in the time, three at least. */
function perCharacter(text, run, milliseconds = 500) {
  let best = Infinity
  const deadline = performance.now() + milliseconds
  for (let count = 0; count < 3 || performance.now() < deadline; count++) {
    const startedAt = performance.now()
    run()
    best = Math.min(best, performance.now() - startedAt)
    if (best > 2000) break
  }
  return (best * 1000) / text.length
}

async function peerPerCharacter(text) {
  const milliseconds = await readWithPeer(text, tools, { pieceLength, budget: peerBudget })
  return milliseconds === undefined || milliseconds === Infinity
    ? milliseconds
    : (milliseconds * 1000) / text.length
}

function format(value) {
  if (value === Infinity) return `more than ${peerBudget / 1000} s`
  return value === undefined ? '–' : `${value.toFixed(3).padStart(8)} µs`
}

async function load() {
  const outDir = await mkdtemp(join(tmpdir(), 'offstage-bench-'))
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      target: 'es2023',
      lib: { entry: 'src/action/index.ts', formats: ['es'], fileName: () => 'action.mjs' },
    },
  })
  return import(pathToFileURL(join(outDir, 'action.mjs')).href)
}
