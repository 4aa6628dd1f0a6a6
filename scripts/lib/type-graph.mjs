import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'
import { manifest } from './project.mjs'

const FRAMEWORKS = new Set(['react', 'vue', 'svelte'])

/**
 * Removes declarations that no published entry leads to, and files without one. Returns the first import of something
 * that users don't install, as `{ file, specifier }`, or null.
 */
export function pruneTypes(typesFolder, entries = publishedTypes()) {
  const graph = new TypeGraph()
  for (const entry of entries) graph.needAll(path.join(typesFolder, entry))
  for (const [file, { foreign }] of graph.modules) {
    const name = path.relative(typesFolder, file)
    const specifier = foreign().find((specifier) => !isOwnFramework(name, specifier))
    if (specifier) return { file: name, specifier }
  }
  for (const name of readdirSync(typesFolder, { recursive: true })) {
    const file = path.join(typesFolder, name)
    if (!name.endsWith('.d.ts')) continue
    const text = graph.modules.get(file)?.print()
    if (text) writeFileSync(file, text)
    else rmSync(file)
  }
  return null
}

/** Declarations that are needed, in the modules that have them. */
class TypeGraph {
  modules = new Map()

  /** Needs all exports of a file. */
  needAll(file) {
    const module = this.#read(file)
    if (module.isWhole) return
    module.isWhole = true
    for (const statement of module.statements) {
      if (statement.from) this.#needFrom(file, statement, ({ exported }) => exported)
      else if (statement.isExported || statement.names.size === 0) this.#keep(file, statement)
    }
  }

  #needExport(file, name) {
    const { statements } = this.#read(file)
    for (const statement of statements) {
      if (statement.from) this.#needFrom(file, statement, ({ exported }) => exported === name)
      else if (statement.names.has(name)) this.#keep(file, statement)
    }
  }

  /** Follows the re-exports or imports of a statement that the filter chooses. */
  #needFrom(file, statement, isNeeded) {
    const target = resolveTypes(file, statement.from)
    if (statement.isStar && target) {
      statement.isKept = true
      this.needAll(target)
    }
    for (const specifier of statement.specifiers.filter(isNeeded)) {
      if (specifier.isKept) continue
      specifier.isKept = statement.isKept = true
      if (target) this.#needExport(target, specifier.imported)
    }
  }

  #keep(file, statement) {
    if (statement.isKept) return
    statement.isKept = true
    for (const other of this.#read(file).statements) {
      if (other.from) this.#needFrom(file, other, ({ local }) => statement.uses.has(local))
      else if ([...other.names].some((name) => statement.uses.has(name))) this.#keep(file, other)
    }
  }

  #read(file) {
    let module = this.modules.get(file)
    if (!module) this.modules.set(file, (module = readModule(file)))
    return module
  }
}

function readModule(file) {
  const text = readFileSync(file, 'utf8')
  let end = 0
  const statements = parseAst(text, { lang: 'dts' }).body.map((node) => {
    // A comment belongs to the statement after it.
    const statement = readStatement(node, {
      comment: text.slice(end, node.start),
      code: text.slice(node.start, node.end),
    })
    end = node.end
    return statement
  })
  const kept = () => statements.filter(({ isKept }) => isKept)
  return {
    statements,
    foreign: () => kept().flatMap(({ from }) => (from && !from.startsWith('.') ? [from] : [])),
    print: () => (kept().length > 0 ? `${kept().map(printStatement).join('').trim()}\n` : ''),
  }
}

function readStatement(node, { comment, code }) {
  const from = node.source?.value
  const declared = node.declaration ?? node
  return {
    comment,
    code,
    from,
    isStar: node.type === 'ExportAllDeclaration',
    isExported: node.type.startsWith('Export'),
    keyword: /^(?:import|export)\b(?: type\b)?/.exec(code)?.[0],
    specifiers: from === undefined ? [] : (node.specifiers ?? []).map(readSpecifier),
    // Global declarations have no name here: whoever needs the file needs them.
    names: new Set(from === undefined && declared.kind !== 'global' ? namesOf(declared) : []),
    uses: from === undefined ? new Set(identifiersIn(node)) : new Set(),
  }
}

/** `local` is the name of an import, `exported` that of a re-export. */
function readSpecifier(node) {
  const isImport = node.type === 'ImportSpecifier'
  if (!isImport && node.type !== 'ExportSpecifier')
    throw new Error(`${node.type} is not as type-graph.mjs knows it.`)
  const [inner, outer] = isImport ? [node.imported, node.local] : [node.local, node.exported]
  const kind = (isImport ? node.importKind : node.exportKind) === 'type' ? 'type ' : ''
  return {
    imported: inner.name,
    [isImport ? 'local' : 'exported']: outer.name,
    text: kind + (inner.name === outer.name ? inner.name : `${inner.name} as ${outer.name}`),
  }
}

function namesOf({ id, declarations = [], specifiers = [] }) {
  const names = [
    id,
    ...declarations.map((declaration) => declaration.id),
    ...specifiers.map((specifier) => specifier.exported),
  ]
  return names.flatMap((found) => found?.name ?? [])
}

function* identifiersIn(node) {
  if (node.type === 'TSImportType') throw new Error('Import types by name, not by import().')
  if (node.type === 'Identifier') yield node.name
  for (const child of Object.values(node).flat())
    if (typeof child?.type === 'string') yield* identifiersIn(child)
}

function printStatement({ comment, code, from, isStar, keyword, specifiers }) {
  if (from === undefined || isStar) return comment + code
  // A keyword for all of them says the same as one for each.
  const isForAll = keyword.endsWith('type')
  const names = specifiers
    .filter(({ isKept }) => isKept)
    .map(({ text }) => (isForAll ? text.replace('type ', '') : text))
  return `${comment}${keyword} { ${names.join(', ')} } from '${from}';`
}

/** The file of a relative specifier. Null for that of a package. */
function resolveTypes(file, specifier) {
  if (!specifier.startsWith('.')) return null
  return path.resolve(path.dirname(file), specifier.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'))
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
