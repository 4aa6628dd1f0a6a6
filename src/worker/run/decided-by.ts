import type { DecidedBy } from '../../protocol/fact.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

/** What is stored of the tool that a call is decided by. */
export function decidedBy({
  definition,
  annotations,
  hasReconcile,
  composite,
  hasUndo,
  untrusted,
}: ToolDescriptor): DecidedBy {
  const { readOnly = false, idempotent = false } = annotations
  const replayable = readOnly || idempotent
  return {
    definition,
    replayable,
    reconcilable: hasReconcile,
    ...(composite && { composite }),
    ...(hasUndo && { undoable: true }),
    ...(untrusted !== undefined && { untrusted }),
  }
}

/** Of a call whose tool is gone: nothing has this definition, and nothing is assumed. */
export const DECIDED_BY_NOTHING: DecidedBy = {
  definition: '',
  replayable: false,
  reconcilable: false,
}
