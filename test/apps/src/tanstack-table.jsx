import {
  columnFilteringFeature,
  columnVisibilityFeature,
  createFilteredRowModel,
  createPaginatedRowModel,
  createSortedRowModel,
  filterFn_includesString,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSelectionFeature,
  rowSortingFeature,
  sortFn_basic,
  sortFn_text,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'

// It draws nothing: the table is the page's own, as most pages make it.

const features = tableFeatures({
  columnFilteringFeature,
  columnVisibilityFeature,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSelectionFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortedRowModel: createSortedRowModel(),
  filterFns: { includesString: filterFn_includesString },
  sortFns: { basic: sortFn_basic, text: sortFn_text },
})
const PEOPLE = Array.from({ length: 200 }, (_, at) => ({
  id: `p${at}`,
  name: `Person ${at}`,
  age: 18 + ((at * 7) % 60),
  team: at % 2 ? 'Blue' : 'Red',
}))

function App() {
  const [people, setPeople] = useState(PEOPLE)
  const [edited, setEdited] = useState(null)
  const columns = useMemo(
    () => [
      { id: 'chosen', header: () => null, cell: ({ row }) => <Choice row={row} /> },
      { accessorKey: 'name', header: 'Name', sortFn: 'text' },
      { accessorKey: 'age', header: 'Age', sortFn: 'basic' },
      { accessorKey: 'team', header: 'Team', sortFn: 'text', filterFn: 'includesString' },
      { id: 'actions', header: 'Actions', cell: ({ row }) => <Actions row={row} /> },
    ],
    [],
  )
  const table = useTable({
    features,
    columns,
    data: people,
    getRowId: ({ id }) => id,
    globalFilterFn: 'includesString',
    meta: {
      edit: setEdited,
      remove: (id) => setPeople((before) => before.filter((one) => one.id !== id)),
    },
  })
  const { sorting, pagination, rowSelection, globalFilter, columnVisibility } = table.state
  window.state = () => ({
    sorted: sorting.map(({ id, desc }) => `${id} ${desc ? 'down' : 'up'}`),
    page: pagination.pageIndex,
    size: pagination.pageSize,
    chosen: Object.keys(rowSelection),
    filter: globalFilter ?? '',
    hidden: Object.keys(columnVisibility).filter((id) => !columnVisibility[id]),
    people: people.length,
    first: table.getRowModel().rows[0]?.original.id ?? null,
    edited,
  })
  return (
    <main>
      <input
        aria-label="Search"
        value={globalFilter ?? ''}
        onChange={(event) => table.setGlobalFilter(event.target.value)}
      />
      {['age', 'team'].map((id) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={table.getColumn(id).getIsVisible()}
            onChange={table.getColumn(id).getToggleVisibilityHandler()}
          />{' '}
          Show {id}
        </label>
      ))}
      <Rows table={table} />
      <Pages table={table} />
    </main>
  )
}

function Choice({ row }) {
  return (
    <input
      type="checkbox"
      checked={row.getIsSelected()}
      onChange={row.getToggleSelectedHandler()}
    />
  )
}

function Actions({ row }) {
  const { edit, remove } = row.table.options.meta
  return (
    <>
      <button onClick={() => edit(row.id)}>Edit</button>{' '}
      <button onClick={() => remove(row.id)}>Remove</button>
    </>
  )
}

function Rows({ table }) {
  return (
    <table>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <th
                key={header.id}
                style={{ cursor: header.column.getCanSort() ? 'pointer' : 'auto' }}
                onClick={header.column.getToggleSortingHandler()}
              >
                <table.FlexRender header={header} />
                {{ asc: ' ↑', desc: ' ↓' }[header.column.getIsSorted()] ?? null}
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id}>
            {row.getVisibleCells().map((cell) => (
              <td key={cell.id}>
                <table.FlexRender cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Pages({ table }) {
  return (
    <nav aria-label="Pages">
      <button disabled={!table.getCanPreviousPage()} onClick={() => table.previousPage()}>
        {'<'}
      </button>
      <button disabled={!table.getCanNextPage()} onClick={() => table.nextPage()}>
        {'>'}
      </button>
      <span>
        Page {table.state.pagination.pageIndex + 1} of {table.getPageCount()}
      </span>
      <select
        aria-label="Rows per page"
        value={table.state.pagination.pageSize}
        onChange={(event) => table.setPageSize(Number(event.target.value))}
      >
        {[10, 20, 50].map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
    </nav>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
