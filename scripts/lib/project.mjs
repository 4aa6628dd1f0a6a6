import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** A path within the project. */
export const inProject = (...parts) => path.join(root, ...parts)

/** A JSON file of the project. */
export const readJson = (file) => JSON.parse(readFileSync(inProject(file), 'utf8'))

export const manifest = () => readJson('package.json')

/** All files below a folder, as paths with `/` from there, sorted. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => path.relative(folder, path.join(item.parentPath, item.name)))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
}
