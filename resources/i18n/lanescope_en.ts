<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>lanescope::app::Inspector</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Top %n candidate(s)</source>
        <translation>
            <numerusform>Top candidate</numerusform>
            <numerusform>Top %n candidates</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lanescope::app::RunsPage</name>
    <message numerus="yes">
        <source>%n run(s) deleted.</source>
        <translation>
            <numerusform>%n run deleted.</numerusform>
            <numerusform>%n runs deleted.</numerusform>
        </translation>
    </message>
</context>
</TS>
