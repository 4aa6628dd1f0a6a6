type Effect = DataTransfer['dropEffect']
type Allowed = DataTransfer['effectAllowed']

/** Browsers ignore writes to the effects of a `DataTransfer` that a script made. */
export function dragData(view: Window & typeof globalThis): DataTransfer {
  return Object.defineProperties(new view.DataTransfer(), {
    effectAllowed: { value: 'uninitialized', writable: true },
    dropEffect: { value: 'none', writable: true },
  })
}

/** The effect of the drop, unless the target sets another one. */
export function offeredEffect(allowed: Allowed): Effect {
  if (allowed === 'uninitialized' || allowed === 'all' || allowed.startsWith('copy')) return 'copy'
  return allowed === 'linkMove' ? 'link' : (allowed as Effect)
}

/** Whether the target's effect is one that the source allows. */
export function isAllowed({ effectAllowed, dropEffect }: DataTransfer): boolean {
  if (dropEffect === 'none') return false
  return (
    /^(uninitialized|all)$/.test(effectAllowed) || effectAllowed.toLowerCase().includes(dropEffect)
  )
}
