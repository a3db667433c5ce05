// The parts of Apache ECharts that the charts use: what is not named here is not in the page.
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent,
  LabelLayout, CanvasRenderer, SVGRenderer]);

const font = 'system-ui, DejaVu Sans, Segoe UI, sans-serif'; // unquoted: it goes into attributes of SVG as it is

/** The option of a chart in a theme: what all charts have in common, under what the chart says. */
export function themed(option, theme) {
  const axis = (each) => ({
    ...each,
    axisLine: { lineStyle: { color: theme.soft }, ...each.axisLine },
    axisLabel: { color: theme.ink, ...each.axisLabel },
    nameTextStyle: { color: theme.soft, ...each.nameTextStyle },
    splitLine: { lineStyle: { color: theme.line }, ...each.splitLine },
  });
  const all = (axes) => (Array.isArray(axes) ? axes.map(axis) : axis(axes));
  return {
    backgroundColor: 'transparent',
    textStyle: { fontFamily: font, color: theme.ink },
    animation: false,
    ...option,
    legend: Array.isArray(option.legend) ? option.legend : option.legend && { textStyle: { color: theme.ink }, inactiveColor: theme.soft, ...option.legend },
    tooltip: option.tooltip && { backgroundColor: theme.ground, borderColor: theme.line, textStyle: { color: theme.ink, fontSize: 12, fontFamily: font }, ...option.tooltip },
    dataZoom: option.dataZoom?.map((each) => (each.type === 'slider' ? { textStyle: { color: theme.soft }, borderColor: theme.line, fillerColor: theme.dark ? '#77aadd33' : '#4477aa22', ...each } : each)),
    xAxis: all(option.xAxis),
    yAxis: all(option.yAxis),
  };
}

export { echarts };
