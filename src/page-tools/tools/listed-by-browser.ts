/** The part of WebMCP that says which tools there are: https://webmachinelearning.github.io/webmcp/ */
interface Lists {
  getTools?(): Promise<readonly { readonly name: string; readonly window?: unknown }[]>
}

/** The names of the tools that the browser lists for this window: forms among them are its own. Never rejects. */
export async function listedByBrowser(): Promise<ReadonlySet<string>> {
  const { modelContext } = document as { readonly modelContext?: Lists }
  try {
    const listed = (await modelContext?.getTools?.()) ?? []
    return new Set(
      listed.flatMap((tool) =>
        tool.window === undefined || tool.window === window ? tool.name : [],
      ),
    )
  } catch {
    return new Set()
  }
}
