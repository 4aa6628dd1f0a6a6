/**
 * Replaces functions of a window. Returns a function that restores them, unless the window shows another document by
 * then.
 */
export function replaceFunctions(view: Window, functions: Partial<Window>): () => void {
  const saved = Object.keys(functions).map(
    (name) => [name, Object.getOwnPropertyDescriptor(view, name)] as const,
  )
  Object.assign(view, functions)
  const { document } = view
  return () => {
    if (!shows(view, document)) return
    for (const [name, descriptor] of saved)
      if (descriptor) Object.defineProperty(view, name, descriptor)
      else Reflect.deleteProperty(view, name)
  }
}

/** Whether the window still shows the document. Reading it throws if another site is shown now. */
function shows(view: Window, document: Document): boolean {
  try {
    return view.document === document
  } catch {
    return false
  }
}
