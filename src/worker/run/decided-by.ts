import type { DecidedBy } from '../../protocol/fact.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

/** The properties of a call's tool that are stored with the decision about the call. */
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

/** For a call whose tool is gone. Matches no tool's definition, and assumes nothing about the tool. */
export const DECIDED_BY_NOTHING: DecidedBy = {
  definition: '',
  replayable: false,
  reconcilable: false,
}
