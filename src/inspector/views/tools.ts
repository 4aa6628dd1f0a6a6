import { nothing, type TemplateResult } from 'lit'
import type { InspectorContext } from '../context.ts'
import { regionView } from './region.ts'
import { tableView } from './table.ts'
import { treeView } from './tree.ts'

/** The tools that the agent has now, whatever conversation is on view. */
export function toolsView({ tools, chosen, choose, list }: InspectorContext): TemplateResult {
  return tableView({
    label: 'Tools',
    name: 'tool-list',
    columns: ['Tool', 'Title', 'State'],
    rows: tools,
    list,
    selected: chosen.tool ?? -1,
    cells: ({ name, title = '', skills, whyNot }) => [
      name,
      title,
      whyNot ?? (skills ? `skill: ${skills.join(', ')}` : 'enabled'),
    ],
    select: (tool) => choose({ tool }),
  })
}

export function toolDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const tool = context.tools[context.chosen.tool ?? -1]
  if (!tool) return nothing
  return regionView(tool.name, treeView(tool, 'tool', context))
}
