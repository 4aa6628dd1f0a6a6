import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { API, type Type } from 'typescript/unstable/sync'
import { afterAll, describe, expect, it } from 'vitest'

/** Fields of a thing, by its name. */
type Fields = Readonly<Record<string, readonly string[]>>

const root = fileURLToPath(new URL('../../../', import.meta.url))
const paper = readFileSync(`${root}docs/format.md`, 'utf8')

const compiler = new API({ cwd: root })
afterAll(() => compiler.close())
const config = `${root}tsconfig.json`
const project = compiler.updateSnapshot({ openProjects: [config] }).getProject(config)

function typeNamed(file: string, name: string): Type {
  const source = project?.program.getSourceFile(`${root}src/${file}`)
  const module = source && project?.checker.getSymbolAtLocation(source)
  const symbol = module && project?.checker.getMemberInModuleExports(module, name)
  const type = symbol && project?.checker.getDeclaredTypeOfSymbol(symbol)
  if (!type) throw new Error(`src/${file} exports no ${name}.`)
  return type
}

function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes() : [type]
}

function literalsOf(type: Type): string[] {
  return membersOf(type).flatMap((each) => (each.isStringLiteralType() ? each.value : []))
}

function fieldsOf(type: Type): string[] {
  return project?.checker.getPropertiesOfType(type).map(({ name }) => name) ?? []
}

/** The fields of each member of a union, by its `type`. */
function fieldsByType(union: Type): Fields {
  const fields = new Map<string, Set<string>>()
  for (const member of membersOf(union)) {
    const symbol = project?.checker.getPropertyOfType(member, 'type')
    const discriminant = symbol && project?.checker.getTypeOfSymbol(symbol)
    if (!discriminant) throw new Error('A member of the union has no type.')
    for (const name of literalsOf(discriminant))
      fields.set(name, new Set([...(fields.get(name) ?? []), ...fieldsOf(member)]))
  }
  return Object.fromEntries([...fields].map(([name, of]) => [name, [...of]]))
}

/** The paper's table under a heading: of each row its cells. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const from = paper.indexOf(`\n${heading}\n`)
  if (from < 0) throw new Error(`No heading: ${heading}`)
  const lines = paper.slice(from).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const rows = lines.slice(first + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

function namesUnder(heading: string): string[] {
  return tableUnder(heading).flatMap(([name]) => namesIn(name))
}

function fieldsUnder(heading: string): Fields {
  return Object.fromEntries(
    tableUnder(heading).map(([name, fields]) => [namesIn(name)[0] ?? '', namesIn(fields)]),
  )
}

function without(fields: Fields, ...common: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, of]) => [
      name,
      of.filter((field) => !common.includes(field)).toSorted(),
    ]),
  )
}

describe('the document of the format', () => {
  it('names every fact and its fields as the types do', () => {
    const written = {
      ...fieldsUnder('### Of a run'),
      ...fieldsUnder('### Of a call'),
      ...fieldsUnder('### Of the messages'),
      ...fieldsUnder("### Of the model's context"),
      ...fieldsUnder("### Of a person's consent"),
    }
    expect(without(written)).toEqual(
      without(fieldsByType(typeNamed('protocol/fact.ts', 'Fact')), 'type'),
    )
  })

  it('names where each fact belongs: run, call or context', () => {
    for (const fields of Object.values(fieldsUnder('### Of a call')))
      expect(fields).toContain('path')
    for (const fields of Object.values(fieldsUnder("### Of the model's context")))
      expect(fields).toContain('after')
  })

  it('names every field of a row', () => {
    expect(namesUnder('## A row').toSorted()).toEqual(
      [...fieldsOf(typeNamed('protocol/fact.ts', 'Place')), 'type'].toSorted(),
    )
  })

  it('names every kind of message and every field of one', () => {
    expect(namesUnder('## Messages').toSorted()).toEqual(
      literalsOf(typeNamed('protocol/message.ts', 'MessageKind')).toSorted(),
    )
    const [, fields = ''] = /A message is a node `\{ ([^}]+) \}`/.exec(paper) ?? []
    expect(fields.split(', ').toSorted()).toEqual(
      fieldsOf(typeNamed('protocol/state.ts', 'MessageNode')).toSorted(),
    )
  })

  it('names every delta and its fields', () => {
    const deltas = fieldsByType(typeNamed('protocol/delta.ts', 'Delta'))
    const common = ['type', 'runId', 'step', 'attempt']
    expect(without(fieldsUnder('## Deltas'))).toEqual(without(deltas, ...common))
    const { 'ownership-changed': _, ...ofRun } = deltas
    for (const fields of Object.values(ofRun)) expect(fields).toContain('runId')
  })

  it('names every public event and its source', () => {
    const events = Object.keys(fieldsByType(typeNamed('protocol/event.ts', 'RunEventBody')))
    expect(namesUnder('## The public events').toSorted()).toEqual(events.toSorted())
    const facts = Object.keys(fieldsByType(typeNamed('protocol/fact.ts', 'Fact')))
    const deltas = Object.keys(fieldsByType(typeNamed('protocol/delta.ts', 'Delta')))
    for (const [, source = ''] of tableUnder('## The public events')) {
      for (const [, type] of source.matchAll(/fact `([^`]+)`/g)) expect(facts).toContain(type)
      for (const [, type] of source.matchAll(/delta `([^`]+)`/g)) expect(deltas).toContain(type)
    }
  })

  it('names every field of a record', () => {
    const from = paper.indexOf('A **record** is')
    const table = paper.slice(from, paper.indexOf('\n## ', from))
    const written = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)
    expect(written.toSorted()).toEqual(
      fieldsOf(typeNamed('worker/store/record.ts', 'StoredRecord')).toSorted(),
    )
  })

  it('names every object store of the database', () => {
    const connection = readFileSync(`${root}src/worker/store/idb-connection.ts`, 'utf8')
    const made = [...connection.matchAll(/createObjectStore\('([^']+)'/g)].map(([, name]) => name)
    expect(namesUnder('## The database').toSorted()).toEqual(made.toSorted())
  })
})
