import { isJson } from '../../lib/json/is-json.ts'
import { isRecord, isText, nullOr, type ShapeCheck } from '../../lib/shape.ts'
import { OffstageError } from '../../protocol/error.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { FACTS, isName, isTime } from './fact-table.ts'
import { isNewerFormat, upcast, UPCASTERS, type Upcasters } from './record.ts'

/** The fields of each fact, with their checks. */
const FIELDS = new Map<unknown, readonly (readonly [name: string, check: ShapeCheck])[]>(
  Object.entries(FACTS).map(([type, { fields }]) => [
    type,
    Object.entries<ShapeCheck>({ runId: nullOr(isName), at: isTime, ...fields }),
  ]),
)

/** The reason why a row can't be folded. */
export interface Fault {
  readonly fault: string
  /** `unsound`: the row is skipped and reading continues. `newer`: a newer version of the package can read it. */
  readonly kind: 'missing' | 'newer' | 'unsound'
}

/** Explains why a row is refused; null when it can be stored and read again. */
export function findProblem(row: unknown): string | null {
  const fields = isRecord(row) && FIELDS.get(row['type'])
  if (!fields) return problemWith('type')
  const name = isJson(row) ? fields.find(([each, check]) => !check(row[each]))?.[0] : 'JSON'
  return name === undefined ? null : problemWith(`${name} of a ${String(row['type'])} row`)
}

function problemWith(part: string): string {
  return `the ${part} is missing, wrong or too long.`
}

/** Refuses to store a row that could not be read again: it would be lost. */
export function refuseUnsound(row: unknown): void {
  const problem = findProblem(row)
  if (problem !== null) throw new OffstageError('invalid-input', `Nothing was stored: ${problem}`)
}

/**
 * The row expected at `seq` of a conversation, or the reason why it can't be folded. Rows in an older format are
 * converted to the current one.
 */
export function checkRow(row: unknown, seq: number, upcasters: Upcasters = UPCASTERS): Row | Fault {
  const stored = isRecord(row) ? row : {}
  const { format } = stored
  if (isNewerFormat(format)) {
    const fault = `Row ${seq} was written by a newer Offstage (format ${format}): reload the page or update the package.`
    return { fault, kind: 'newer' }
  }
  if (stored['seq'] !== seq) return { fault: `Row ${seq} is missing.`, kind: 'missing' }
  const current = upcast(stored, upcasters)
  const isPlaced = current?.['format'] === FORMAT && isText(current['appendId'])
  const problem = isPlaced ? findProblem(current) : problemWith('format')
  return problem === null
    ? (current as unknown as Row)
    : { fault: `Row ${seq} can't be read: ${problem}`, kind: 'unsound' }
}
