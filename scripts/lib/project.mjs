import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** A path within the project. */
export const inProject = (...parts) => path.join(root, ...parts)

export const manifest = () => JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
