import { readFileSync } from 'node:fs'
import { inProject } from '../../scripts/lib/project.mjs'
import { movedLinks } from './markdown.mjs'

const CLAIMS_SHOWN = 5
const COMPARISON = 'docs/comparison.md'
const PERFORMANCE = 'docs/performance.md'
const QUALITY = 'docs/quality.md'

/**
 * Claims in the order of their importance. `figure` reads the number from the page that says how it is measured. The
 * claim is left out while that page has none, such as before a long run.
 */
const CLAIMS = [
  {
    figure: () => resultOf('npm run torture'),
    text: 'Pages, workers and browsers are killed in every state of a run.',
    page: QUALITY,
  },
  {
    figure: () => resultOf('npm run attack'),
    text: 'Text on pages and in results attacks the agent, and the model obeys it.',
    page: QUALITY,
  },
  {
    figure: () => found(PERFORMANCE, /^\| 80 000 deltas, main thread +\|[^|]+\| (\d\.\d+)× /m, '×'),
    text: 'Main-thread time of a long answer, beside a plain fetch loop.',
    page: PERFORMANCE,
  },
  {
    figure: () => found(COMPARISON, /^\| Offstage +\|.*\| (\d+) page, \d+ worker +\|/m, ' kB'),
    text: 'The size of an import in the page, minified and gzipped. The worker is a file of its own.',
    page: `${COMPARISON}#interface-size-maturity`,
  },
  {
    figure: () => countedRows('docs/compatibility.md', 'Set-ups'),
    text: 'Set-ups in which the package is installed and runs an agent: bundlers, frameworks, policies.',
    page: 'docs/compatibility.md#set-ups',
  },
  {
    figure: () => (/installs no other package/.test(read('docs/dependencies.md')) ? '0' : null),
    text: 'Dependencies. A list says what is bundled, why, and under which license.',
    page: 'docs/dependencies.md',
    link: 'What is bundled',
  },
  {
    figure: () => found(COMPARISON, /^\| Offstage +\| (\d+), and \d+ engines +\|/m),
    text: 'Providers of models, besides engines that run a model in the browser.',
    page: `${COMPARISON}#models-and-what-the-agent-can-do`,
    link: 'Compared with others',
  },
  {
    figure: () => countedRows('docs/page-tools.md', 'The tools'),
    text: 'Tools that read and operate any page, within rules that protect the person.',
    page: 'docs/page-tools-rules.md',
    link: 'The rules',
  },
]

/** The home page. Its sentences, code and tables are those of README.md and the documents. */
export function homePage() {
  const [sentence, more] = introduction()
  return `---
layout: home-page
title: Offstage
titleTemplate: ':title: an AI agent inside your web page'
description: ${JSON.stringify(`${sentence} ${more}`)}
sentence: ${JSON.stringify(sentence)}
more: ${JSON.stringify(more)}
pageClass: home
sidebar: false
search: false
---

## The code

${firstSnippet()}

The [tutorial](docs/getting-started.md) builds an agent that asks before it acts and survives a reload. Tools can also
be [the page itself](docs/page-tools.md), and the interface can be [one element](docs/chat.md).

## Measured

Each link leads to the page with the figure.

${claims().join('\n')}

## What survives a reload

A dash means that the documentation says nothing about it. [All tables](${COMPARISON}) have sources.

${tableBelow('What survives a reload of the page')}

## Where to go

- [Tutorial](docs/getting-started.md): ten minutes, without a key or server.
- [Coming from another SDK](docs/coming-from.md): concepts and code, side by side.
- [Models](docs/providers/keys.md): keys and the relay. [Ollama](docs/providers/ollama.md) needs neither.
- [Trust and consent](docs/security.md): what a page should set up before it goes public.
- [API reference](api/index.md): every export, with its comment.
- [Coding agents](docs/coding-agents.md): files that agents read.
`
}

/** The first sentence of README.md, and the rest of its paragraph. */
export function introduction() {
  const [, paragraph] = read('README.md').split('\n\n')
  const [, sentence, more] = /^(.+?\.) (.+)$/s.exec(paragraph)
  return [sentence, more]
}

/** The first TypeScript of README.md, which the snippet check compiles. */
function firstSnippet() {
  const [snippet] = /^```ts\n[^]*?^```$/m.exec(read('README.md'))
  return snippet
}

function claims() {
  const shown = CLAIMS.flatMap(({ figure, text, page, link = 'How it is measured' }) => {
    const number = figure()
    return number === null ? [] : [`- **${number}** ${text} [${link}](${page})`]
  })
  if (shown.length < CLAIMS_SHOWN) throw new Error(`Only ${shown.length} claims have a figure.`)
  return shown.slice(0, CLAIMS_SHOWN)
}

/** The result of a long run, unless it has none on this version. */
function resultOf(command) {
  const row = rowsOf(read(QUALITY)).find((cells) => cells[1] === `\`${command}\``)
  return row?.[3] ? row[2] : null
}

function found(file, pattern, unit = '') {
  const number = pattern.exec(read(file))?.[1]
  return number === undefined ? null : `${number}${unit}`
}

function countedRows(file, heading) {
  return String(rowsOf(sectionOf(file, heading)).length - 1)
}

/** A table of the comparison, with links as the home page needs them. */
function tableBelow(heading) {
  const lines = sectionOf(COMPARISON, heading).split('\n')
  const table = lines.filter((line) => line.startsWith('|')).join('\n')
  return movedLinks(table, { from: COMPARISON, to: 'index.md' })
}

function sectionOf(file, heading) {
  const [, section] = read(file).split(`\n## ${heading}\n`)
  if (section === undefined) throw new Error(`${file} has no section "${heading}".`)
  return section.split('\n## ')[0]
}

/** Cells of all rows but the one of dashes. */
function rowsOf(text) {
  return text
    .split('\n')
    .filter((line) => /^\|(?! -)/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function read(file) {
  return readFileSync(inProject(file), 'utf8').replaceAll('\r\n', '\n')
}
