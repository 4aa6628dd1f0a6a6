import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

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
  // Without its licence a package must not be bundled: better no build than a missing notice.
  if (!file) throw new Error(`${manifest.name} ships no licence file; it can't be bundled.`)
  const text = readFileSync(path.join(folder, file), 'utf8').trim()
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`
}
