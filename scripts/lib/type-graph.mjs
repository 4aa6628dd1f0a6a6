import { readFileSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { manifest } from './project.mjs'

const FRAMEWORKS = new Set(['react', 'vue', 'svelte'])

/**
 * Removes declarations that no published entry leads to. Returns the first import of something
 * that users don't install, as `{ file, specifier }`, or null.
 */
export function pruneTypes(typesFolder) {
  const reached = new Set()
  const queue = publishedTypes().map((file) => path.join(typesFolder, file))
  for (let file = queue.pop(); file; file = queue.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) {
        const name = path.relative(typesFolder, file)
        if (isOwnFramework(name, specifier)) continue
        return { file: name, specifier }
      }
      queue.push(path.resolve(path.dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  for (const name of readdirSync(typesFolder, { recursive: true })) {
    const file = path.join(typesFolder, name)
    if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
  }
  return null
}

/** Whoever imports the binding of a framework has installed that. */
function isOwnFramework(file, specifier) {
  const [, folder] = file.split(path.sep)
  return FRAMEWORKS.has(folder) && specifier.split('/')[0] === folder
}

function publishedTypes() {
  return Object.values(manifest().exports)
    .map((entry) => entry.types)
    .filter(Boolean)
    .map((file) => path.relative('./dist/types', file))
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from |import |import\()['"]([^'"]+)['"]/g)].map((match) => match[1])
}
