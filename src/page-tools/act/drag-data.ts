type Effect = DataTransfer['dropEffect']
type Allowed = DataTransfer['effectAllowed']

/** Browsers keep the effects of a drag for themselves: written by a script's drag they are forgotten. */
export function dragData(view: Window & typeof globalThis): DataTransfer {
  return Object.defineProperties(new view.DataTransfer(), {
    effectAllowed: { value: 'uninitialized', writable: true },
    dropEffect: { value: 'none', writable: true },
  })
}

/** What the drop would do, unless the target wants something else. */
export function offeredEffect(allowed: Allowed): Effect {
  if (allowed === 'uninitialized' || allowed === 'all' || allowed.startsWith('copy')) return 'copy'
  return allowed === 'linkMove' ? 'link' : (allowed as Effect)
}

/** Whether what the target wants is among what the source allows. */
export function isAllowed({ effectAllowed, dropEffect }: DataTransfer): boolean {
  if (dropEffect === 'none') return false
  return (
    /^(uninitialized|all)$/.test(effectAllowed) || effectAllowed.toLowerCase().includes(dropEffect)
  )
}
