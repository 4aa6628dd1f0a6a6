import { viewOf } from '../dom.ts'
import { deletedRange, type TextRange } from './deleted-range.ts'
import type { EditContext } from './edit-context-of.ts'
import { sendInput } from './set-value.ts'

// An element with an `EditContext` shows no typed text by itself: the browser reports the text to the page, which draws
// it. https://w3c.github.io/edit-context/

type TextUpdateEventMaker = new (type: string, init: object) => Event

/** Types over the selection with the events that a browser sends. Returns false if the page prevented it. */
export function typeIntoContext(target: Element, context: EditContext, text: string): boolean {
  if (text === '\n') return sendInput(target, 'beforeinput', { inputType: 'insertParagraph' })
  if (!sendInput(target, 'beforeinput', { inputType: 'insertText', data: text })) return false
  update(target, context, { ...selectionOf(context), text })
  return true
}

export function deleteInContext(
  target: Element,
  context: EditContext,
  key: 'Backspace' | 'Delete',
): void {
  const inputType = key === 'Backspace' ? 'deleteContentBackward' : 'deleteContentForward'
  if (!sendInput(target, 'beforeinput', { inputType })) return
  const deleted = deletedRange(selectionOf(context), context.text.length, key)
  if (deleted) update(target, context, { ...deleted, text: '' })
}

/** Returns the selection in order: its ends are swapped if it was made backwards. */
function selectionOf({ selectionStart, selectionEnd }: EditContext): TextRange {
  return {
    start: Math.min(selectionStart, selectionEnd),
    end: Math.max(selectionStart, selectionEnd),
  }
}

function update(
  target: Element,
  context: EditContext,
  { start, end, text }: TextRange & { readonly text: string },
): void {
  const at = start + text.length
  context.updateText(start, end, text)
  context.updateSelection(at, at)
  const { TextUpdateEvent } = viewOf(target) as unknown as {
    readonly TextUpdateEvent: TextUpdateEventMaker
  }
  context.dispatchEvent(
    new TextUpdateEvent('textupdate', {
      text,
      updateRangeStart: start,
      updateRangeEnd: end,
      selectionStart: at,
      selectionEnd: at,
    }),
  )
}
