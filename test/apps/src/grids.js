import 'tabulator-tables/dist/css/tabulator.min.css'
import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community'
import { TabulatorFull } from 'tabulator-tables'

ModuleRegistry.registerModules([AllCommunityModule])
document.querySelector('#app').innerHTML =
  '<h2>AG Grid</h2><div id="ag" style="height: 300px; width: 700px"></div><h2>Tabulator</h2><div id="tabulator" style="width: 700px"></div>'
const people = (prefix) =>
  Array.from({ length: 500 }, (_, at) => ({
    id: at + 1,
    name: `${prefix} ${at + 1}`,
    age: 20 + ((at * 7) % 50),
    town: ['Oslo', 'Rome', 'Bern'][at % 3],
  }))
const log = { edited: '', noted: '' }
const grid = createGrid(document.querySelector('#ag'), {
  rowData: people('Person'),
  columnDefs: [
    { field: 'name', filter: 'agTextColumnFilter', floatingFilter: true },
    { field: 'age', editable: true },
    { field: 'town' },
  ],
  rowSelection: { mode: 'multiRow' },
  onCellValueChanged: ({ data, newValue }) => (log.edited = `${data.name}: ${newValue}`),
})
const table = new TabulatorFull('#tabulator', {
  data: people('Guest'),
  height: 300,
  layout: 'fitColumns',
  selectableRows: true,
  columns: [
    { title: 'Guest', field: 'name', headerFilter: 'input' },
    { title: 'Years', field: 'age', editor: 'input' },
    { title: 'Place', field: 'town' },
  ],
})
table.on('cellEdited', (cell) => (log.noted = `${cell.getData().name}: ${cell.getValue()}`))
table.on('tableBuilt', () => {
  window.state = () => ({
    ...log,
    sorted: grid.getColumnState().find(({ sort }) => sort)?.colId ?? '',
    shown: grid.getDisplayedRowCount(),
    chosen: grid.getSelectedRows().map(({ name }) => name),
    sorters: table.getSorters().map(({ field, dir }) => `${field} ${dir}`),
    found: table.getDataCount('active'),
    marked: table.getSelectedData().map(({ name }) => name),
  })
})
