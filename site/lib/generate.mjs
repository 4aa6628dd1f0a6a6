import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { llmsFullTxt, llmsTxt } from '../../scripts/lib/llms.mjs'
import { inProject, manifest } from '../../scripts/lib/project.mjs'
import { listedPages } from '../pages.mjs'
import { apiPages } from './api-pages.mjs'
import { homePage } from './home.mjs'
import { picturesOf, siteMarkdown } from './markdown.mjs'
import { repositoryUrl } from './repository.mjs'

/** The folder that VitePress reads. Pages have the paths that they have in the repository. */
export const GENERATED = inProject('site/.generated')
/** Files that the site has as they are. */
export const PUBLIC = path.join(GENERATED, 'public')

/**
 * Writes all pages into the folder that VitePress reads.
 *
 * @param {string} address where the site will be, ending with `/`
 * @returns {readonly string[]} paths of the documents and of the API reference, to be published as Markdown, too
 */
export function generate(address) {
  rmSync(GENERATED, { recursive: true, force: true })
  const documents = documentsOfProject()
  const missing = listedPages.find((page) => !documents.includes(page))
  if (missing) throw new Error(`site/pages.mjs lists ${missing}, which doesn't exist.`)
  const place = { pages: new Set(documents), repository: repositoryUrl() }

  const pages = new Map(documents.map((file) => [file, documentPage(file, place)]))
  const report = readFileSync(inProject('etc/api/offstage.api.md'), 'utf8')
  for (const [file, text] of apiPages({ manifest: manifest(), folder: inProject(), report }))
    pages.set(file, text)
  for (const [file, text] of pages) writeInto(GENERATED, file, text)

  writeInto(GENERATED, 'index.md', homePage())
  writeInto(GENERATED, 'playground.md', PLAYGROUND)
  writeInto(PUBLIC, 'llms.txt', llmsTxt(`${address}docs/`))
  writeInto(PUBLIC, 'llms-full.txt', llmsFullTxt())
  copyFileSync(inProject('SKILL.md'), path.join(PUBLIC, 'SKILL.md'))
  return [...pages.keys()]
}

/** Publishes Markdown beside the pages, and README.md beside the home page. Call this after the build. */
export function publishMarkdown(files, folder) {
  for (const file of files) {
    const text = readFileSync(path.join(GENERATED, file), 'utf8')
    writeInto(folder, file, text)
    for (const picture of picturesOf(text, file)) copyInto(folder, picture)
  }
  const pages = new Set(files)
  const readme = siteMarkdown(read('README.md'), {
    file: 'README.md',
    pages,
    repository: repositoryUrl(),
  })
  writeInto(folder, 'index.md', readme)
  for (const picture of picturesOf(readme, 'README.md')) copyInto(folder, picture)
}

const PLAYGROUND = `---
layout: playground-page
title: Playground
pageClass: playground
sidebar: false
search: false
---
`

/** Documents of `docs/`, and those beside README.md. SKILL.md is for agents, and published as it is. */
function documentsOfProject() {
  const beside = readdirSync(inProject()).filter(
    (file) => file.endsWith('.md') && file !== 'README.md' && file !== 'SKILL.md',
  )
  const docs = readdirSync(inProject('docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md'))
  return [...docs, ...beside].toSorted()
}

/** Copies the document's pictures, too. */
function documentPage(file, place) {
  const text = siteMarkdown(read(file), { file, ...place })
  for (const picture of picturesOf(text, file)) copyInto(GENERATED, picture)
  return text
}

function read(file) {
  return readFileSync(inProject(file), 'utf8')
}

function copyInto(folder, file) {
  if (!existsSync(inProject(file))) throw new Error(`A page shows ${file}, which doesn't exist.`)
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
  copyFileSync(inProject(file), path.join(folder, file))
}

function writeInto(folder, file, text) {
  const target = path.join(folder, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}
