import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from './project.mjs'

/** The licence texts of all bundled packages, as one file. */
export function licenseTexts(packages) {
  return packages.map(licenseOf).join(`\n${'-'.repeat(80)}\n\n`)
}

function licenseOf({ folder, manifest }) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : mitText(manifest)
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`
}

/** Some packages name the MIT licence in their manifest only; its text is the same as our own. */
function mitText({ name, author, license }) {
  // Better no build than a missing notice.
  if (license !== 'MIT' || !author) throw new Error(`${name} ships no licence text to pass on.`)
  const holder = typeof author === 'string' ? author : author.name
  const ownLicense = readFileSync(inProject('LICENSE'), 'utf8').trim()
  return ownLicense.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`)
}
