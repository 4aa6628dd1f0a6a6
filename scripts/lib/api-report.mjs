import { readFileSync } from 'node:fs'
import path from 'node:path'
import { compare } from './bundled-packages.mjs'
import { parseSync } from './vite.mjs'

/**
 * The public API as text: what each entry exports, and every declaration that its exports lead to, once and
 * without comments. Sorted, so that a change of the API is a change of a few lines.
 *
 * @param {Record<string, string | { types: string }>} entries the `exports` of package.json
 * @param {string} folder what the entries' paths are relative to
 */
export function apiReport(entries, folder) {
  const modules = new Modules()
  const published = new Set()
  const sections = Object.entries(entries).map(([entry, target]) => {
    const title = `## ${entry.replace('.', 'offstage')}`
    if (typeof target === 'string') return `${title}\n\nNo types: \`${target}\`.\n`
    const file = path.resolve(folder, target.types)
    const names = modules.exportsOf(file)
    const lines = names.map(({ name, isType }) => {
      const declared = modules.declared(file, name)
      published.add(declared.key)
      const alias = declared.name === name ? name : `${declared.name} as ${name}`
      return isType ? `type ${alias}` : alias
    })
    return names.length === 0
      ? `${title}\n\nNo exports.\n`
      : `${title}\n\n${fence(lines.join('\n'))}`
  })
  const declarations = modules.reachedFrom(published).map(({ key, name, text }) => ({
    name,
    text: `${published.has(key) ? 'export ' : ''}${text}`,
  }))
  const sorted = declarations.toSorted(
    (one, other) => compare(one.name, other.name) || compare(one.text, other.text),
  )
  return `# Public API

<!-- Written by \`npm run api\`. A change here is a change for users: see CHANGELOG.md. -->

${sections.join('\n')}
## Declarations

What is not exported by an entry can change as long as what refers to it stays compatible.

${[...new Set(sorted.map(({ text }) => text))].map(fence).join('\n')}`
}

function fence(text) {
  return `\`\`\`ts\n${text}\n\`\`\`\n`
}

/** Declaration files, read once each. */
export class Modules {
  #files = new Map()
  #withComments

  /** @param {{ withComments?: boolean }} [options] whether texts keep the comments of members. Default: false. */
  constructor({ withComments = false } = {}) {
    this.#withComments = withComments
  }

  /** The names that a module exports, sorted. */
  exportsOf(file) {
    return [...this.#exports(file)]
      .map(([name, { isType }]) => ({ name, isType }))
      .toSorted((one, other) => compare(one.name, other.name))
  }

  /** A file's own exports take precedence over those of `export *`. */
  #exports(file) {
    const { exports, stars } = this.#read(file)
    const all = stars.flatMap(({ from, isType }) =>
      [...this.#exports(from)].map(([name, exported]) => [
        name,
        { from, name, isType: isType || exported.isType },
      ]),
    )
    return new Map([...all, ...exports])
  }

  /** Where an exported name is declared, through all re-exports. */
  declared(file, name) {
    const target = this.#exports(file).get(name)
    if (!target) throw new Error(`${file} exports no ${name}.`)
    return target.from ? this.declared(target.from, target.name) : this.#local(file, target.name)
  }

  /** All declarations that these lead to, themselves included. */
  reachedFrom(keys) {
    const reached = new Map()
    const queue = [...keys].map((key) => this.#byKey(key))
    for (let next = queue.pop(); next; next = queue.pop()) {
      if (reached.has(next.key)) continue
      reached.set(next.key, next)
      const { imports, declarations } = this.#read(next.file)
      for (const name of next.references) {
        if (imports.has(name) || declarations.has(name)) queue.push(this.#local(next.file, name))
      }
      for (const { file, name } of next.importTypes) queue.push(this.declared(file, name))
    }
    return [...reached.values()]
  }

  #byKey(key) {
    const [file, name] = key.split('\0')
    return this.#local(file, name)
  }

  /** Resolves a name within a module. */
  #local(file, name) {
    const { imports, declarations } = this.#read(file)
    const imported = imports.get(name)
    if (imported) return this.declared(imported.from, imported.name)
    const nodes = declarations.get(name)
    if (!nodes) throw new Error(`${file} has no ${name}.`)
    return {
      key: `${file}\0${name}`,
      file,
      name,
      text: nodes.map(({ text }) => text).join('\n'),
      // The first overload describes the function.
      comment: nodes.map(({ comment }) => comment).find(Boolean) ?? '',
      references: nodes.flatMap(({ references }) => references),
      importTypes: nodes.flatMap(({ importTypes }) => importTypes),
    }
  }

  #read(file) {
    const cached = this.#files.get(file)
    if (cached) return cached
    const module = readModule(file, this.#withComments)
    this.#files.set(file, module)
    return module
  }
}

function readModule(file, withComments) {
  const source = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const { program, comments, errors } = parseSync(file, source, { lang: 'dts' })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const module = { imports: new Map(), exports: new Map(), stars: [], declarations: new Map() }
  for (const node of program.body) {
    const comment = commentBefore(source, comments, node)
    const textOf = ({ start, end }) =>
      withComments ? source.slice(start, end) : withoutComments(source, comments, { start, end })
    addStatement(module, node, { file, textOf, comment })
  }
  return module
}

function addStatement(module, node, { file, textOf, comment }) {
  switch (node.type) {
    case 'ImportDeclaration':
      // A framework's names are as known as those of the language.
      if (!node.source.value.startsWith('.')) return
      for (const { type, local, imported } of node.specifiers) {
        if (type !== 'ImportSpecifier') throw new Error(`${file}: only named imports are read.`)
        module.imports.set(local.name, { from: resolve(file, node.source), name: imported.name })
      }
      return
    case 'ExportNamedDeclaration':
      if (node.declaration) {
        for (const name of declare(module, node.declaration, { file, textOf, comment })) {
          const isType = /^TS(?:Interface|TypeAlias)Declaration$/.test(node.declaration.type)
          module.exports.set(name, { name, isType })
        }
      }
      for (const { local, exported, exportKind } of node.specifiers) {
        module.exports.set(exported.name, {
          name: local.name,
          isType: node.exportKind === 'type' || exportKind === 'type',
          ...(node.source && { from: resolve(file, node.source) }),
        })
      }
      return
    case 'ExportAllDeclaration':
      if (node.exported) throw new Error(`${file}: export * as … is not read.`)
      module.stars.push({ from: resolve(file, node.source), isType: node.exportKind === 'type' })
      return
    case 'EmptyStatement':
      return
    default:
      declare(module, node, { file, textOf, comment })
  }
}

/** Adds a declaration and returns the names that it declares. */
function declare(module, node, { file, textOf, comment }) {
  const ids =
    node.type === 'VariableDeclaration' ? node.declarations.map(({ id }) => id) : [node.id]
  if (!ids.every((id) => id?.type === 'Identifier'))
    throw new Error(`${file}: ${node.type} is not read.`)
  const used = { references: [], importTypes: [] }
  visit(node, (child) => {
    if (child.type === 'Identifier') used.references.push(child.name)
    if (child.type === 'TSImportType') {
      used.importTypes.push({ file: resolve(file, child.source), name: child.qualifier.name })
    }
  })
  for (const { name } of ids) {
    const nodes = module.declarations.get(name) ?? []
    module.declarations.set(name, [...nodes, { text: textOf(node), comment, ...used }])
  }
  return ids.map(({ name }) => name)
}

/** Every node but the names of members: those refer to nothing. */
function visit(node, handle) {
  if (Array.isArray(node)) return node.forEach((child) => visit(child, handle))
  if (typeof node?.type !== 'string') return
  handle(node)
  for (const [field, child] of Object.entries(node)) {
    if (field === 'key' && !node.computed) continue
    visit(child, handle)
  }
}

function resolve(file, source) {
  return path.resolve(path.dirname(file), source.value.replace(/\.ts$/, '.d.ts'))
}

/** Text of the comment right before a statement, without its asterisks. */
function commentBefore(source, comments, { start }) {
  const comment = comments.findLast(
    ({ type, end }) => type === 'Block' && end <= start && source.slice(end, start).trim() === '',
  )
  const lines = comment?.value.replace(/^\*/, '').split('\n') ?? []
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()
}

function withoutComments(source, comments, { start, end }) {
  let text = ''
  let at = start
  for (const comment of comments) {
    if (comment.start < start || comment.end > end) continue
    text += source.slice(at, comment.start)
    at = comment.end
  }
  const lines = (text + source.slice(at, end)).split('\n').map((line) => line.trimEnd())
  return lines.filter((line) => line !== '').join('\n')
}
