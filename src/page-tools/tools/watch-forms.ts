import { isElement } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

/** Changes of the page within this time are looked at together. Milliseconds. */
const TOGETHER_MS = 400
/** What the definitions of forms are made of, wherever it stands. */
const OF_DEFINITIONS =
  'toolname,tooldescription,toolautosubmit,toolparamtitle,toolparamdescription,name,type,required,min,max,step,minlength,maxlength,pattern,multiple,disabled,readonly,form,for,aria-label,aria-labelledby,data-offstage-mask'
/** What shows and hides fields: pages change it all the time, and here it counts in and around forms only. */
const OF_SIGHT = 'class,style,hidden,inert,open,aria-hidden'
const always: ReadonlySet<string> = new Set(OF_DEFINITIONS.split(','))

/**
 * Calls `changed` after the page has changed what its forms ask for. Not seen are a rule of a style sheet that comes to
 * apply by itself, and what hides or names a field from outside its form: a call finds those out.
 */
export function watchForms(
  forms: () => Iterable<HTMLFormElement>,
  changed: () => Promise<void>,
  signal: AbortSignal,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver((records) => {
    if (timer === undefined && records.some((record) => concerns(record, forms())))
      timer = setTimeout(() => {
        timer = undefined
        void changed()
      }, TOGETHER_MS)
  })
  observer.observe(nativeDocument.documentElement(document), {
    childList: true,
    characterData: true,
    subtree: true,
    attributeFilter: `${OF_DEFINITIONS},${OF_SIGHT}`.split(','),
  })
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
  })
}

function concerns(
  { type, target, attributeName }: MutationRecord,
  forms: Iterable<HTMLFormElement>,
): boolean {
  if (type === 'childList' || always.has(attributeName ?? '')) return true
  for (const form of forms)
    if (native.contains(form, target) || (isElement(target) && native.contains(target, form)))
      return true
  return false
}
