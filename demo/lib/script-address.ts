interface Policy {
  createScriptURL(url: string): string
}

declare global {
  interface Window {
    /** Not in all browsers. */
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  }
}

let policy: Policy | undefined
const allowedUrls = new Set<string>()

/** The address of a worker's file as the page's policy wants it, which allows only those that the build made. */
export function scriptAddress(url: string): string {
  allowedUrls.add(url)
  policy ??= window.trustedTypes?.createPolicy('kiln', {
    createScriptURL(scriptUrl) {
      if (!allowedUrls.has(scriptUrl)) throw new TypeError(`No script of this page: ${scriptUrl}`)
      return scriptUrl
    },
  })
  return policy?.createScriptURL(url) ?? url
}
