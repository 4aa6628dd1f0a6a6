import type { PageTab, TabTool } from './page-tab.ts'
import { TabsWorld, type TabsWorldOptions } from './tabs-world.ts'

export interface ThreeTabs {
  readonly world: TabsWorld
  readonly one: PageTab
  readonly two: PageTab
  readonly three: PageTab
}

/** Tabs that show the same conversation, and know of each other. */
export async function threeTabs(
  options: TabsWorldOptions,
  tools: Readonly<Record<string, TabTool>> = {},
): Promise<ThreeTabs> {
  const world = new TabsWorld(options)
  const tab = (name: string): PageTab => world.tab(name, { tools }).open()
  const tabs = { one: tab('one'), two: tab('two'), three: tab('three') }
  await world.run(3000)
  return { world, ...tabs }
}

/** The same while the first one's run is at the point that is asked for. */
export async function whileRunning(
  options: TabsWorldOptions,
  tools: Readonly<Record<string, TabTool>>,
  isThere: (tabs: ThreeTabs) => boolean = ({ two }) => two.text.length > 6,
): Promise<ThreeTabs> {
  const tabs = await threeTabs(options, tools)
  tabs.one.start('run')
  await tabs.world.until(() => isThere(tabs))
  return tabs
}
