import { quoteSent } from '../as-sent.ts'
import { cleanText, quote, shorten } from '../clean-text.ts'
import { isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { PageError } from '../page-error.ts'
import { describeElement } from './describe.ts'
import { sendDrag } from './drag-event.ts'
import type { ActionContext, Telling } from './perform.ts'
import { makeReady } from './make-ready.ts'
import { sendChoice } from './set-value.ts'
import { checkAction } from './guard-actions.ts'

/** A file field, or an element that files can be dropped on. */
export type FileTarget = { readonly field: HTMLInputElement } | { readonly zone: HTMLElement }

/** The file field of a target: itself, the one inside of it, or the one that it is the label of. */
export function fileFieldOf(target: HTMLElement): HTMLInputElement | null {
  if (isFileField(target)) return target
  if (isTag(target, 'label') && isFileField(target.control)) return target.control
  const inside = [...native.querySelectorAll(target, 'input')].filter(isFileField)
  return inside.length === 1 ? (inside[0] ?? null) : null
}

function isFileField(element: Element | null): element is HTMLInputElement {
  return element !== null && isTag(element, 'input') && element.type === 'file'
}

/** Sets a field's files, or drops them on an element, by names that the page's `files` option resolves. */
export async function provideFiles(
  fileTarget: FileTarget,
  names: string,
  context: ActionContext,
): Promise<Telling> {
  const target = 'field' in fileTarget ? fileTarget.field : fileTarget.zone
  const name = describeElement(target, context.live)
  const { files } = context.live.options
  if (!files)
    throw new PageError(
      'unsupported',
      `${name}: this page lends no files. Ask the person to choose one.`,
    )
  if (native.matches(target, ':disabled')) throw new PageError('disabled', `${name} is disabled.`)
  const transfer = new (viewOf(target).DataTransfer)()
  const wanted = names
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter(Boolean)
  for (const one of wanted) {
    const file = await files(one)
    if (!file) throw new PageError('not-found', `There is no file named ${quoteSent(one)}.`)
    transfer.items.add(file)
  }
  checkAction(target, context)
  if ('zone' in fileTarget) await dropFiles(fileTarget.zone, transfer, context)
  else setFiles(fileTarget.field, transfer.files, name)
  const gave = `Gave ${wanted.map(quoteSent).join(', ')} to ${name}`
  return ({ changed }) => {
    if (!('field' in fileTarget)) return changed ? `${gave}.` : `${gave}. Nothing changed.`
    if (wanted.length === 0 || (fileTarget.field.files?.length ?? 0) > 0) return `${gave}.`
    // Many a page takes the file and empties the field.
    if (changed) return `${gave}. The field is empty again.`
    throw new PageError('refused-value', `${name} did not keep the file: it is empty.`)
  }
}

function setFiles(field: HTMLInputElement, files: FileList, name: string): void {
  if (files.length > 1 && !field.multiple)
    throw new PageError('refused-value', `${name} takes one file only.`)
  const refused = [...files].find((file) => !isAccepted(file, field.accept))
  if (refused)
    throw new PageError(
      'refused-value',
      `${name} does not take ${quote(refused.name)}: it wants ${quote(shorten(cleanText(field.accept), 80))}.`,
    )
  field.files = files
  sendChoice(field)
}

/** By the syntax of `accept`: extensions, types, and groups such as `image/*`. */
function isAccepted({ name, type }: File, accept: string): boolean {
  const wanted = accept
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  return (
    wanted.length === 0 ||
    wanted.some((one) => {
      if (one.startsWith('.')) return name.toLowerCase().endsWith(one)
      return one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one
    })
  )
}

async function dropFiles(
  zone: HTMLElement,
  data: DataTransfer,
  { live, signal, show }: ActionContext,
): Promise<void> {
  const { point, receiver } = await makeReady(zone, { live, signal })
  await show(zone)
  const send = (type: string): boolean => sendDrag(receiver, type, { point, data })
  send('dragenter')
  // A target that accepts a drop prevents the default of `dragover`, and that of `drop`, which opens the file.
  if (!send('dragover')) {
    if (!send('drop')) return
  } else send('dragleave')
  throw new PageError(
    'unsupported',
    `${describeElement(zone, live)} takes neither text nor files. Click it, or use press_key.`,
  )
}
