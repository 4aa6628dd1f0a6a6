// Puts the templates and the license into the package while npm packs it. --undo removes them.
import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { packTemplate, TEMPLATES } from './template-files.mjs'

const packageFolder = import.meta.dirname
const root = path.join(packageFolder, '../..')
const templates = path.join(packageFolder, 'templates')
const license = path.join(packageFolder, 'LICENSE')

rmSync(templates, { recursive: true, force: true })
rmSync(license, { force: true })
if (!process.argv.includes('--undo')) {
  for (const name of TEMPLATES)
    packTemplate(path.join(root, 'examples', name), path.join(templates, name))
  copyFileSync(path.join(root, 'LICENSE'), license)
}
