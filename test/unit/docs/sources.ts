import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../../..')

export function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

/** The files below a folder whose names end so, as paths below the project's root. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .filter((file) => file.endsWith(ending) && !file.includes('node_modules'))
}
