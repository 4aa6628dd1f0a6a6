import { inProject } from '../../scripts/lib/project.mjs'
import { lockedVersion } from './prepare-app.ts'
import { setups, type Setup } from './setups.ts'
import { typeSetups } from './type-setups.ts'

export const DOCUMENT: string = inProject('docs/compatibility.md')

/** The result of each setup's test, by the setup's title. */
export type Findings = ReadonlyMap<string, { readonly works: boolean; readonly worker?: string }>

/** A table's rows by their cells, without the cells that tests fill in. */
interface Table {
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const SETUP_HEAD = ['set-up', 'version', 'needed', 'remarks']
const TYPE_HEAD = ['compiler', 'version', '`moduleResolution`']

/** The tables that stand between markers in the document. */
export function definedTables(): readonly Table[] {
  return [
    { name: 'set-ups', head: SETUP_HEAD, rows: setups.map(setupCells) },
    {
      name: 'types',
      head: TYPE_HEAD,
      rows: typeSetups.map(({ title, compiler, resolutions }) => [
        title,
        lockedVersion('compilers', compiler),
        resolutions.map((name) => `\`${name}\``).join(', '),
      ]),
    },
  ]
}

/** The document with what was found in its tables. */
export function withFindings(document: string, findings: Findings): string {
  return definedTables().reduce((text, { name, head, rows }) => {
    const isSetups = name === 'set-ups'
    const found = rows.map((cells) => {
      const finding = findings.get(cells[0] ?? '')
      const works = finding?.works ? 'yes' : 'no'
      return [...cells, works, ...(isSetups ? [finding?.worker ?? ''] : [])]
    })
    const heads = [...head, 'works', ...(isSetups ? ['worker'] : [])]
    const lines = [heads, heads.map(() => '---'), ...found].map(
      (cells) => `| ${cells.join(' | ')} |`,
    )
    const { start, old, end } = markedPart(text, name)
    return text.replace(start + old + end, () => [start, '', ...lines, '', end].join('\n'))
  }, document)
}

/** The rows of a table in the document, as cells. */
export function documentedRows(document: string, name: string): readonly (readonly string[])[] {
  return markedPart(document, name)
    .old.trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function setupCells({ title, app, builder, configuration, remark }: Setup): readonly string[] {
  return [
    title,
    builder ? lockedVersion(app, builder) : '',
    configuration ?? 'nothing',
    remark ?? '',
  ]
}

/** A table, between its markers. */
function markedPart(
  document: string,
  name: string,
): { readonly start: string; readonly old: string; readonly end: string } {
  const part = new RegExp(`(<!-- ${name}: .*? -->)([^]*?)(<!-- end of ${name} -->)`).exec(document)
  if (!part) throw new Error(`docs/compatibility.md has no markers of the table "${name}".`)
  const [, start = '', old = '', end = ''] = part
  return { start, old, end }
}
