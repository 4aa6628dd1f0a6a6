import { quote } from '../clean-text.ts'
import { viewOf } from '../dom.ts'
import { PageError } from '../page-error.ts'
import { describeElement } from './describe.ts'
import type { ActionContext } from './perform.ts'
import { sendChoice } from './set-value.ts'

/** Puts files into a file field, by the names that the page's `files` option knows. */
export async function giveFiles(
  input: HTMLInputElement,
  names: string,
  { live }: ActionContext,
): Promise<string> {
  const field = describeElement(input, live)
  const { files } = live.options
  if (!files)
    throw new PageError(
      'unsupported',
      `${field}: this page lends no files. Ask the person to choose one.`,
    )
  if (input.matches(':disabled')) throw new PageError('disabled', `${field} is disabled.`)
  const wanted = names
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter(Boolean)
  if (wanted.length > 1 && !input.multiple)
    throw new PageError('refused-value', `${field} takes one file only.`)
  const transfer = new (viewOf(input).DataTransfer)()
  for (const name of wanted) {
    const file = await files(name)
    if (!file) throw new PageError('not-found', `There is no file named ${quote(name)}.`)
    transfer.items.add(file)
  }
  input.files = transfer.files
  sendChoice(input)
  return `Gave ${wanted.map(quote).join(', ')} to ${field}.`
}
