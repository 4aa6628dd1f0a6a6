import { viewOf } from '../dom.ts'
import { nextFrame } from '../waiting.ts'
import { isChecked, isSelected, isChosenNatively, isShownIn, scopeOf } from './choice-signs.ts'
import { hitTest } from './hit-test.ts'
import { makeReady } from './make-ready.ts'
import { chosenTwin, namesOf, optionsFor, type OptionSearch } from './option-list.ts'
import type { ActionContext } from './perform.ts'
import { movePointer } from './pointer.ts'

/** What is known of an option before it is clicked. */
export interface OptionState {
  readonly isChosen: boolean
  /** Its list says `aria-selected` of what the pointer is over, chosen or not. */
  readonly marksPointer: boolean
}

/**
 * Whether an option is chosen. Lists differ in what `aria-selected` means: a choice, or only what is highlighted, which
 * moves with the pointer. Leaves the pointer over an option.
 */
export async function stateBefore(
  option: HTMLElement,
  search: OptionSearch,
  { live, signal }: ActionContext,
): Promise<OptionState> {
  const before = isSelected(option)
  const others = optionsFor(search).filter((one) => one !== option)
  movePointer(live, await makeReady(option, { live, signal }))
  await nextFrame(viewOf(option))
  const scope = scopeOf(search.element)
  const isSure =
    isChecked(option) ||
    // Some lists expose the state of an option only while the pointer is over it.
    chosenTwin(option, search) ||
    namesOf(option, search).some((name) => isChosenNatively(scope, name))
  if (!isSelected(option)) return { isChosen: isSure, marksPointer: false }
  if (!before) return { isChosen: isSure, marksPointer: true }
  if (isSure) return { isChosen: true, marksPointer: false }
  for (const other of others) {
    const hit = hitTest(other)
    if (!('receiver' in hit)) continue
    movePointer(live, hit)
    await nextFrame(viewOf(option))
    const stays = isSelected(option)
    return { isChosen: stays, marksPointer: !stays }
  }
  // The only one: what is chosen stands in the field, too.
  const isChosen = isShownIn(option, search)
  return { isChosen, marksPointer: !isChosen }
}
