import { viewOf } from '../dom.ts'
import type { EditContext } from './edit-context-of.ts'
import { sendInput } from './set-value.ts'

// An element with an `EditContext` shows nothing that is typed by itself: the browser tells its page what a person typed,
// and the page draws it. https://w3c.github.io/edit-context/

type TextUpdateEventMaker = new (type: string, init: object) => Event

/** As a browser does for what a person types over the selection. False: the page prevented it. */
export function typeIntoContext(target: Element, context: EditContext, text: string): boolean {
  if (text === '\n') return sendInput(target, 'beforeinput', { inputType: 'insertParagraph' })
  if (!sendInput(target, 'beforeinput', { inputType: 'insertText', data: text })) return false
  const [start, end] = selectionOf(context)
  update(target, context, { start, end, text })
  return true
}

export function deleteInContext(
  target: Element,
  context: EditContext,
  key: 'Backspace' | 'Delete',
): void {
  const inputType = key === 'Backspace' ? 'deleteContentBackward' : 'deleteContentForward'
  if (!sendInput(target, 'beforeinput', { inputType })) return
  const [start, end] = selectionOf(context)
  const [from, to] =
    start !== end ? [start, end] : key === 'Backspace' ? [start - 1, start] : [start, start + 1]
  if (from >= 0 && to <= context.text.length)
    update(target, context, { start: from, end: to, text: '' })
}

/** A selection may have been made backwards. */
function selectionOf({ selectionStart, selectionEnd }: EditContext): readonly [number, number] {
  return [Math.min(selectionStart, selectionEnd), Math.max(selectionStart, selectionEnd)]
}

function update(
  target: Element,
  context: EditContext,
  { start, end, text }: { readonly start: number; readonly end: number; readonly text: string },
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
