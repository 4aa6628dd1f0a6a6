import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from './project.mjs'

/** The licence texts of all packages whose code is in these modules, as one file. */
export function licenseTexts(moduleIds) {
  const folders = new Set([...moduleIds].map(packageFolder).filter(Boolean))
  const texts = [...folders].toSorted().map(licenseOf)
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

function packageFolder(moduleId) {
  const normal = moduleId.replaceAll('\\', '/').replace(/^\0/, '')
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(normal)?.[0]
}

function licenseOf(folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : mitText(manifest)
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`
}

/** Some packages name the MIT licence in their manifest only; its text is the same as our own. */
function mitText({ name, author, license }) {
  // Better no build than a missing notice.
  if (license !== 'MIT' || !author) throw new Error(`${name} ships no licence text to pass on.`)
  const holder = typeof author === 'string' ? author : author.name
  const own = readFileSync(inProject('LICENSE'), 'utf8').trim()
  return own.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`)
}
