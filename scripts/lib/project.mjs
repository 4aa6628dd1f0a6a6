import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** A path within the project. */
export const inProject = (...parts) => path.join(root, ...parts)

/** A JSON file of the project. */
export const readJson = (file) => JSON.parse(readFileSync(inProject(file), 'utf8'))

export const manifest = () => readJson('package.json')
